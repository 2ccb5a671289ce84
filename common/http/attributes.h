// What filters and handlers tell each other about one request.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace stagecraft {

/// Names an attribute and its type. Told apart by its address: one object of static storage for
/// each attribute.
///
///     inline constexpr AttributeKey<std::string> user_name{"user name"};
template <typename T>
struct AttributeKey {
  const char* description;  ///< for people with a debugger

  explicit constexpr AttributeKey(const char* text) : description(text) {}
  AttributeKey(const AttributeKey&) = delete;
  AttributeKey& operator=(const AttributeKey&) = delete;
};

/// Values that belong to one request: what a filter found out, for the handler behind it. They are
/// destroyed when the request is over, however it ends, so an attribute is also the place for what
/// has to be given back then.
///
/// Used by whoever has the request, one thread at a time. An empty one costs a request nothing.
class Attributes {
 public:
  Attributes() = default;
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { clear(); }

  /// Keeps a value for this request. Takes the place of one that was set before.
  template <typename T>
  void set(const AttributeKey<T>& key, T value) {
    auto kept = std::make_unique<T>(std::move(value));
    refer(key, *kept, [](void* object) { delete static_cast<T*>(object); });
    static_cast<void>(kept.release());
  }

  /// Refers to a value that outlives the request, as one of all requests of a context does: nothing
  /// is allocated. At the end of the request `release(&value)` is called, if there is one; it must
  /// not throw.
  template <typename T>
  void refer(const AttributeKey<T>& key, T& value, void (*release)(void*) = nullptr) {
    void* object = const_cast<void*>(static_cast<const volatile void*>(&value));
    add({&key, object, release});
  }

  /// The value of that key, or nullptr.
  template <typename T>
  T* find(const AttributeKey<T>& key) const {
    for (const Entry& entry : entries_) {
      if (entry.key == &key) return static_cast<T*>(entry.value);
    }
    return nullptr;
  }

  /// The end of the request.
  void clear() noexcept {
    // The last first, as destructors do it.
    while (!entries_.empty()) {
      const Entry entry = entries_.back();
      entries_.pop_back();
      if (entry.release != nullptr) entry.release(entry.value);
    }
  }

 private:
  struct Entry {
    const void* key;
    void* value;
    void (*release)(void*);
  };

  void add(const Entry& added) {
    for (Entry& entry : entries_) {
      if (entry.key != added.key) continue;
      const Entry before = std::exchange(entry, added);
      if (before.release != nullptr) before.release(before.value);
      return;
    }
    entries_.push_back(added);
  }

  std::vector<Entry> entries_;
};

}  // namespace stagecraft
