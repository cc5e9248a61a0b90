bool from_a();
bool from_b();

int main() { return from_a() && from_b() ? 0 : 1; }
