// expect: sizes differ | add
template <int A, int B> struct check { static_assert(A == B, "sizes differ"); };

int main() {
  struct add {};
#ifdef TWILL_MISTAKE
  check<3, 4> add;
#else
  check<3, 3> add;
#endif
}
