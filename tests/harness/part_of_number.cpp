// expect: 123 | 456 | 12
template <int A, int B> constexpr bool same = A == B;
template <int A, int B> void check() { static_assert(same<A, B>, "123 is not 456"); }

int main() {
#ifdef TWILL_MISTAKE
  check<123, 456>();
#else
  check<3, 3>();
#endif
}
