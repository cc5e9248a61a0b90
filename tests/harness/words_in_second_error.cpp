// expect: beta | gamma
template <class T> void first(T) { static_assert(sizeof(T) == 0, "alpha beta"); }
template <class T> void second(T) { static_assert(sizeof(T) == 0, "gamma"); }

int main() {
#ifdef TWILL_MISTAKE
  first(1);
  second(1);
#endif
}
