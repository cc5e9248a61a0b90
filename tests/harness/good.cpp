// expect: sizes differ | (3, 4) | 3 and 4
template <int... Sizes> struct dims {};
template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;
template <class A, class B> void add(A, B) { static_assert(same<A, B>, "sizes differ"); }

int main() {
#ifdef TWILL_MISTAKE
  add(dims<3, 4>{}, dims<4>{});
#else
  add(dims<3, 4>{}, dims<3, 4>{});
#endif
}
