// Run-time tensors: operations record, realize() schedules, compiles (or interprets) and runs.
//
//   tw::tensor X = tw::tensor::from(data, {n, 64});
//   tw::tensor Y = layer(X, W, B);              // nothing has run yet
//   std::vector<float> y = Y.to_vector<float>();
#pragma once

#include <vector>

#include "twill/door/arguments.hpp"
#include "twill/door/results.hpp"
#include "twill/runtime/executable.hpp"
#include "twill/tensor/functions.hpp"

namespace twill {

namespace detail {

// A node of the run-time graph: immutable but for being realized once; shared by atomic counts, destroyed without recursion.
struct tensor_node {
  int count = 1;
  op code = op::BUFFER;
  dtype type{};
  twill::shape dims;
  vector<tensor_node*, 3> sources;
  vector<i64, 4> arguments;
  char* memory = nullptr;     // of a realized node
  bool owned = false;         // memory was allocated here
  u64 mark = 0;               // the last walk that visited it, and its number there; under the realize lock
  u32 number = 0;

  i64 bytes() const { return dims.elements() * byte_size(type); }
};

inline tensor_node* retain(tensor_node* n) {
  __atomic_fetch_add(&n->count, 1, __ATOMIC_RELAXED);
  return n;
}
inline void release(tensor_node* n) {
  if (n == nullptr || __atomic_sub_fetch(&n->count, 1, __ATOMIC_ACQ_REL) != 0) return;
  vector<tensor_node*, 8> dead{n};
  while (!dead.empty()) {
    tensor_node* next = dead.back();
    dead.pop_back();
    for (tensor_node* s : next->sources)
      if (__atomic_sub_fetch(&s->count, 1, __ATOMIC_ACQ_REL) == 0) dead.push_back(s);
    if (next->owned) ::operator delete(next->memory, std::align_val_t{64});
    delete next;
  }
}
inline char* allocate(i64 bytes) { return static_cast<char*>(::operator new(static_cast<size_t>(bytes < 1 ? 1 : bytes), std::align_val_t{64})); }

// Executables by recording: the same program on the same shapes is scheduled and compiled once.
class executable_cache {
 public:
  static executable_cache& instance() {
    static executable_cache cache;
    return cache;
  }
  executable& get(const recorder& r, span<const u32> outputs) {
    vector<i64> words = pack_recording(r, outputs);
    words.push_back(static_cast<i64>(execution_setting()));
    u64 hash = 0;
    for (const i64 w : words) hash = hash_combine(hash, static_cast<u64>(w));
    entry*& bucket = buckets_[hash % bucket_count];
    for (entry* e = bucket; e != nullptr; e = e->next)
      if (e->hash == hash && e->words == words) return e->program;
    bucket = new entry{hash, static_cast<vector<i64>&&>(words), executable(r, outputs), bucket};
    return bucket->program;
  }
  ~executable_cache() {
    for (entry* e : buckets_)
      while (e != nullptr) {
        entry* next = e->next;
        delete e;
        e = next;
      }
  }

 private:
  struct entry {
    u64 hash;
    vector<i64> words;
    executable program;
    entry* next;
  };
  static constexpr size_t bucket_count = 256;
  entry* buckets_[bucket_count]{};
};

// Realizing is serialized: a tensor realized from two threads runs once.
class realize_lock {
 public:
  realize_lock() { ::pthread_mutex_lock(&mutex()); }
  ~realize_lock() { ::pthread_mutex_unlock(&mutex()); }
  realize_lock(const realize_lock&) = delete;
  realize_lock& operator=(const realize_lock&) = delete;

 private:
  static pthread_mutex_t& mutex() {
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    return m;
  }
};

// The arena graph of what the given nodes need, realized nodes as arguments.
struct tensor_recording {
  recorder graph;
  vector<u32, 4> outputs;
  vector<tensor_node*, 8> inputs;

  explicit tensor_recording(span<tensor_node* const> targets) {
    static u64 walks = 0;
    const u64 walk = ++walks;
    vector<tensor_node*> stack, order;
    for (tensor_node* t : targets) stack.push_back(t);
    // Post-order: a node is numbered when its sources have been.
    while (!stack.empty()) {
      tensor_node* n = stack.back();
      if (n->mark == walk) {
        stack.pop_back();
        continue;
      }
      bool ready = true;
      if (n->memory == nullptr)
        for (tensor_node* s : n->sources)
          if (s->mark != walk) {
            stack.push_back(s);
            ready = false;
          }
      if (!ready) continue;
      stack.pop_back();
      n->mark = walk;
      add(n);
    }
    vector<u32, 4> taken;
    for (tensor_node* t : targets) {
      u32 id = t->number;
      for (i64 copy = 0; repeated(id) || graph.nodes.at(id).code == op::BUFFER; ++copy) {
        const u32 source[]{t->number};
        const i64 a[]{copy};
        id = intern(op::CONTIGUOUS, t->type, t->dims, {source, 1}, {a, 1});
      }
      outputs.push_back(id);
    }
  }

 private:
  bool repeated(u32 id) const {
    for (const u32 o : outputs)
      if (o == id) return true;
    return false;
  }
  u32 intern(op code, dtype type, const shape& dims, span<const u32> sources, span<const i64> arguments) {
    const u32 id = graph.nodes.intern(code, type, sources, arguments);
    if (id == graph.shapes.size()) graph.shapes.push_back(dims);
    return id;
  }
  void add(tensor_node* n) {
    if (n->memory != nullptr) {
      vector<i64, 8> words{static_cast<i64>(inputs.size())};
      for (const sint& s : n->dims) words.push_back(s.bits);
      inputs.push_back(n);
      n->number = intern(op::BUFFER, n->type, n->dims, {}, words);
      return;
    }
    vector<u32, 4> sources;
    for (tensor_node* s : n->sources) sources.push_back(s->number);
    n->number = intern(n->code, n->type, n->dims, sources, n->arguments);
  }
};

}  // namespace detail

// A lazy value of run-time shape. Copies share; tensors may cross threads. Operations on tensors that do not fit raise
// shape_error or dtype_error at once.
class tensor {
 public:
  using twill_recording_operand = void;

  tensor() : tensor(full({}, 0.0f)) {}
  tensor(const tensor& other) : node_(detail::retain(other.node_)) {}
  tensor(tensor&& other) noexcept : node_(other.node_) { other.node_ = nullptr; }
  tensor& operator=(tensor other) noexcept {
    detail::tensor_node* mine = node_;
    node_ = other.node_;
    other.node_ = mine;
    return *this;
  }
  ~tensor() { detail::release(node_); }

  // A copy of the elements, row by row. Raises shape_error when their number is not the shape's, argument_error for null.
  template <class C>
    requires requires(const C& c) { c.data(); c.size(); }
  static tensor from(const C& elements, const twill::shape& dims) {
    return from(elements.data(), static_cast<i64>(elements.size()), dims);
  }
  template <class T>
  static tensor from(const T* elements, i64 count, const twill::shape& dims) {
    check_count(count, dims);
    if (elements == nullptr && count != 0) raise<argument_error>("tensor::from: the elements are null");
    tensor out = empty(dtype_of<T>(), dims);
    if (count != 0) __builtin_memcpy(out.node_->memory, elements, static_cast<size_t>(count) * sizeof(T));
    return out;
  }
  static tensor from(std::initializer_list<float> elements, const twill::shape& dims) {
    return from(elements.begin(), static_cast<i64>(elements.size()), dims);
  }
  // Raw elements of a dtype without a C++ type of its own (float16, bfloat16).
  static tensor from_bytes(const void* bytes, dtype type, const twill::shape& dims) {
    tensor out = empty(type, dims);
    if (bytes == nullptr && dims.elements() != 0) raise<argument_error>("tensor::from_bytes: the elements are null");
    if (dims.elements() != 0) __builtin_memcpy(out.node_->memory, bytes, static_cast<size_t>(out.node_->bytes()));
    return out;
  }
  // The caller's memory, which must outlive every tensor that is not realized yet and uses it.
  template <class T>
  static tensor borrow(const T* elements, const twill::shape& dims) {
    if (elements == nullptr && dims.elements() != 0) raise<argument_error>("tensor::borrow: the elements are null");
    raise_if(check_shape(dims, "tensor"));
    detail::tensor_node* n = new detail::tensor_node;
    n->type = dtype_of<T>();
    n->dims = dims;
    n->memory = const_cast<char*>(reinterpret_cast<const char*>(elements));
    if (n->memory == nullptr) n->memory = detail::allocate(1), n->owned = true;
    return tensor(n);
  }
  static tensor arange(i64 n, dtype type = int32) {
    if (n < 0) raise_if(check_shape(twill::shape(n), "arange"));
    const i64 a[]{n};
    return tensor(op::IOTA, type, twill::shape(n), {}, a);
  }
  template <weak_number T>
  static tensor full(const twill::shape& dims, T value, dtype type = std::is_floating_point_v<T> ? float32 : dtype_of<T>()) {
    raise_if(check_shape(dims, "full"));
    const tensor seed(op::CONST, type, {}, {}, {});
    const tensor one = std::is_floating_point_v<T> ? record::constant(seed, type, static_cast<double>(value)) : record::integer_constant(seed, type, static_cast<i64>(value));
    return record::expand(one, dims);
  }

  // ---- as an operand (tensor/operand.hpp) ----
  const twill::shape& shape() const { return node_->dims; }
  dtype type() const { return node_->type; }
  bool is_constant() const { return node_->code == op::CONST; }
  tensor make(op code, dtype type, const twill::shape& dims, span<const tensor> sources, span<const i64> arguments) const {
    return tensor(code, type, dims, sources, arguments);
  }
  [[noreturn]] tensor fail(const problem& p, const twill::shape&) const { raise<shape_error>(message(p)); }
  [[noreturn]] void fail(const dtype_problem& p) const { raise<dtype_error>(message(p)); }

  size_t rank() const { return shape().rank(); }
  i64 elements() const { return shape().elements(); }
  tensor reshape(const twill::shape& to) const { return record::reshape(*this, to); }
  tensor permute(std::initializer_list<sint> order) const { return record::permute(*this, span<const sint>(order.begin(), order.size())); }

  // Computes the value, once; what it was made from is let go.
  const tensor& realize() const;
  bool realized() const { return node_->memory != nullptr; }
  // The elements, row by row; realizes. T must be the tensor's own type: dtype_error.
  template <class T>
  const T* data() const {
    check_type<T>("data");
    realize();
    return reinterpret_cast<const T*>(node_->memory);
  }
  template <class T>
  std::vector<T> to_vector() const {
    check_type<T>("to_vector");
    realize();
    std::vector<T> out(static_cast<size_t>(elements()));
    if constexpr (std::is_same_v<T, bool>) {
      for (size_t i = 0; i < out.size(); ++i) out[i] = node_->memory[i] != 0;
    } else if (!out.empty()) {
      __builtin_memcpy(out.data(), node_->memory, out.size() * sizeof(T));
    }
    return out;
  }
  // The only element.
  template <class T>
  T item() const {
    if (elements() != 1) {
      text message("item: a tensor of shape ");
      message << shape() << " has " << elements() << " elements, not 1";
      raise<shape_error>(static_cast<text&&>(message));
    }
    return *data<T>();
  }

 private:
  friend void realize_all(span<const tensor* const> tensors);
  friend class tensor_schedule;
  explicit tensor(detail::tensor_node* n) : node_(n) {}
  tensor(op code, dtype type, const twill::shape& dims, span<const tensor> sources, span<const i64> arguments) : node_(new detail::tensor_node) {
    node_->code = code;
    node_->type = type;
    node_->dims = dims;
    for (const tensor& s : sources) node_->sources.push_back(detail::retain(s.node_));
    for (const i64 a : arguments) node_->arguments.push_back(a);
  }
  static tensor empty(dtype type, const twill::shape& dims) {
    raise_if(check_shape(dims, "tensor"));
    detail::tensor_node* n = new detail::tensor_node;
    n->type = type;
    n->dims = dims;
    n->memory = detail::allocate(n->bytes());
    n->owned = true;
    return tensor(n);
  }
  static void check_count(i64 count, const twill::shape& dims) {
    raise_if(check_shape(dims, "tensor"));
    if (count == dims.elements()) return;
    text message("a tensor of shape ");
    message << dims << " needs " << dims.elements() << " elements, got " << count;
    raise<shape_error>(static_cast<text&&>(message));
  }
  template <class T>
  void check_type(text_view what) const {
    if (dtype_of<T>() == type()) return;
    text message(what);
    message << ": the tensor is " << to_text(type()) << ", not " << to_text(dtype_of<T>()) << "; cast it";
    raise<dtype_error>(static_cast<text&&>(message));
  }

  detail::tensor_node* node_;
};

// Computes several tensors together: one schedule, shared work done once.
inline void realize_all(span<const tensor* const> tensors) {
  const detail::realize_lock lock;
  vector<detail::tensor_node*, 4> targets;
  for (const tensor* t : tensors) {
    bool known = t->node_->memory != nullptr;
    for (const detail::tensor_node* k : targets) known = known || k == t->node_;
    if (!known) targets.push_back(t->node_);
  }
  if (targets.empty()) return;
  detail::tensor_recording recorded(targets);
  executable& program = detail::executable_cache::instance().get(recorded.graph, recorded.outputs);
  program.prepare();
  vector<void*, 4> outputs;
  for (detail::tensor_node* t : targets) outputs.push_back(detail::allocate(t->bytes()));
  vector<void*, 8> inputs;
  for (detail::tensor_node* n : recorded.inputs) inputs.push_back(n->memory);
  char* workspace = program.workspace_bytes() > 0 ? detail::allocate(static_cast<i64>(program.workspace_bytes())) : nullptr;
  program.run(outputs.data(), inputs.data(), workspace);
  if (workspace != nullptr) ::operator delete(workspace, std::align_val_t{64});
  for (size_t i = 0; i < targets.size(); ++i) {
    detail::tensor_node* t = targets[i];
    t->memory = static_cast<char*>(outputs[i]);
    t->owned = true;
    t->code = op::BUFFER;
    const vector<detail::tensor_node*, 3> sources = t->sources;
    t->sources.clear();
    for (detail::tensor_node* s : sources) detail::release(s);
  }
}
template <class... T>
  requires(std::is_same_v<T, tensor> && ...)
void realize(const T&... tensors) {
  const tensor* const list[]{&tensors...};
  realize_all(list);
}
inline const tensor& tensor::realize() const {
  if (realized()) return *this;
  const tensor* const list[]{this};
  realize_all(list);
  return *this;
}

// The kernels that realizing would run, for looking at: size(), front(), [k].source(tw::lang::cpp) ….
class tensor_schedule {
 public:
  explicit tensor_schedule(span<const tensor* const> tensors) {
    const detail::realize_lock lock;
    vector<detail::tensor_node*, 4> targets;
    for (const tensor* t : tensors)
      if (t->node_->memory == nullptr) targets.push_back(t->node_);
    if (targets.empty()) return;
    detail::tensor_recording recorded(targets);
    program_ = &detail::executable_cache::instance().get(recorded.graph, recorded.outputs);
  }
  size_t size() const { return program_ == nullptr ? 0 : program_->kernels().size(); }
  bool empty() const { return size() == 0; }
  const executable_kernel& operator[](size_t k) const { return program_->kernels()[k]; }
  const executable_kernel& front() const { return (*this)[0]; }
  const executable_kernel* begin() const { return program_ == nullptr ? nullptr : program_->kernels().begin(); }
  const executable_kernel* end() const { return program_ == nullptr ? nullptr : program_->kernels().end(); }

 private:
  executable* program_ = nullptr;  // owned by the cache, which keeps it
};
template <class... T>
  requires(sizeof...(T) > 0 && (std::is_same_v<T, tensor> && ...))
tensor_schedule schedule(const T&... tensors) {
  const tensor* const list[]{&tensors...};
  return tensor_schedule(list);
}

}  // namespace twill
