/* ap_int, ap_uint, ap_fixed and ap_ufixed for simulation. */
#ifndef LOADSTONE_AP_TYPES_H
#define LOADSTONE_AP_TYPES_H

#include <cmath>
#include <type_traits>

enum ap_q_mode { AP_RND, AP_RND_ZERO, AP_RND_MIN_INF, AP_RND_INF, AP_RND_CONV, AP_TRN, AP_TRN_ZERO };
enum ap_o_mode { AP_SAT, AP_SAT_ZERO, AP_SAT_SYM, AP_WRAP, AP_WRAP_SM };

namespace ap {

typedef __int128 wide;

constexpr int larger(int a, int b) { return a > b ? a : b; }
constexpr int smaller(int a, int b) { return a < b ? a : b; }

template <bool C, typename A, typename B> using choice = typename std::conditional<C, A, B>::type;

template <int W, bool S> struct held {
  typedef choice<(W <= 32), int, choice<(W <= 64), long, wide>> large;
  typedef choice<(W <= 32), unsigned, choice<(W <= 64), unsigned long, wide>> large_unsigned;
  typedef choice<(W <= 8), signed char, choice<(W <= 16), short, large>> with_sign;
  typedef choice<(W <= 8), unsigned char, choice<(W <= 16), unsigned short, large_unsigned>> without;
  typedef choice<S, with_sign, without> type;
};

template <int W, bool S> wide wrapped(wide x)
{
  if (W > 127)
    return x;
  const wide one = 1, low = x & ((one << (W & 127)) - 1);
  return S && (low >> (W - 1)) ? low - (one << (W & 127)) : low;
}

/* The multiple of 2^-to that stands for x * 2^-from. */
template <ap_q_mode Q> wide rounded(wide x, int from, int to)
{
  static_assert(Q == AP_TRN || Q == AP_RND || Q == AP_RND_CONV, "a rounding that is not modelled");
  if (from <= to)
    return x << (to - from);
  const int lost = from - to;
  const wide one = 1, down = x >> lost, rest = x - (down << lost), half = one << (lost - 1);
  return down + (Q != AP_TRN && (rest > half || (rest == half && (Q == AP_RND || (down & 1)))));
}

template <int W, bool S, ap_o_mode O> wide in_range(wide x)
{
  static_assert(O == AP_WRAP || O == AP_SAT, "an overflow that is not modelled");
  const wide one = 1, high = (one << (W - S)) - 1, low = S ? -(one << (W - 1)) : 0;
  return O == AP_WRAP ? wrapped<W, S>(x) : x < low ? low : x > high ? high : x;
}

/* The units of a number of floating point; integers cut off its fraction. */
template <int W, int F, bool S, bool FIXED, ap_q_mode Q, ap_o_mode O> wide units_of(double x)
{
  const double scaled = std::ldexp(x, F), down = FIXED ? std::floor(scaled) : std::trunc(scaled);
  if (!std::isfinite(x) || std::fabs(down) > 0x1p120) {
    const wide far = (wide)1 << 100;
    return std::isnan(x) || O == AP_WRAP ? 0 : in_range<W, S, AP_SAT>(x > 0 ? far : -far);
  }
  const double rest = scaled - down;
  const wide units = (wide)down;
  const bool up = FIXED && Q != AP_TRN && (rest > 0.5 || (rest == 0.5 && (Q == AP_RND || (units & 1))));
  return in_range<W, S, O>(units + up);
}

} // namespace ap

/* What lets integers be subscripts. */
template <typename NUMBER, typename HELD, bool FIXED> struct ap_subscript {};
template <typename NUMBER, typename HELD> struct ap_subscript<NUMBER, HELD, false> {
  operator HELD() const { return static_cast<const NUMBER *>(this)->units; }
};

/* Units of 2^-F in W bits. */
template <int W, int F, bool S, bool FIXED, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP>
struct ap_number : ap_subscript<ap_number<W, F, S, FIXED, Q, O>, typename ap::held<W, S>::type, FIXED> {
  typename ap::held<W, S>::type units;

  ap_number() = default;
  template <typename T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0>
  ap_number(T x) : units(ap::in_range<W, S, O>(ap::rounded<Q>(x, 0, F))) {}
  ap_number(double x) : units(ap::units_of<W, F, S, FIXED, Q, O>(x)) {}
  template <int W2, int F2, bool S2, bool FIXED2, ap_q_mode Q2, ap_o_mode O2>
  ap_number(const ap_number<W2, F2, S2, FIXED2, Q2, O2> &x)
      : units(FIXED ? ap::in_range<W, S, O>(ap::rounded<Q>(x.units, F2, F)) : ap::wrapped<W, S>(x.whole()))
  {
  }

  static ap_number of_units(ap::wide x)
  {
    ap_number made;
    made.units = (typename ap::held<W, S>::type)ap::wrapped<W, S>(x);
    return made;
  }

  ap::wide whole() const { return (ap::wide)units / ((ap::wide)1 << F); }

  template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0> operator T() const
  {
    if (std::is_same<T, bool>::value)
      return units != 0;
    if (std::is_floating_point<T>::value)
      return (T)std::ldexp((T)units, -F);
    return (T)whole();
  }

  int to_int() const { return *this; }
  unsigned to_uint() const { return *this; }
  long to_long() const { return *this; }
  long long to_int64() const { return *this; }
  unsigned long long to_uint64() const { return *this; }
  float to_float() const { return *this; }
  double to_double() const { return *this; }

  template <typename T> ap_number &operator+=(const T &x) { return *this = *this + x; }
  template <typename T> ap_number &operator-=(const T &x) { return *this = *this - x; }
  template <typename T> ap_number &operator*=(const T &x) { return *this = *this * x; }
  template <typename T> ap_number &operator/=(const T &x) { return *this = *this / x; }
  template <typename T> ap_number &operator%=(const T &x) { return *this = *this % x; }
  template <typename T> ap_number &operator&=(const T &x) { return *this = *this & x; }
  template <typename T> ap_number &operator|=(const T &x) { return *this = *this | x; }
  template <typename T> ap_number &operator^=(const T &x) { return *this = *this ^ x; }
  ap_number &operator<<=(int places) { return *this = *this << places; }
  ap_number &operator>>=(int places) { return *this = *this >> places; }
  ap_number &operator++() { return *this += 1; }
  ap_number &operator--() { return *this -= 1; }
  ap_number operator++(int) { const ap_number old = *this; *this += 1; return old; }
  ap_number operator--(int) { const ap_number old = *this; *this -= 1; return old; }

  ap_number operator+() const { return *this; }
  ap_number<FIXED ? W + 1 : ap::larger(W, 1 + S) + 1, F, true, FIXED> operator-() const
  {
    return decltype(-*this)::of_units(-(ap::wide)units);
  }
  ap_number operator~() const { return of_units(~(ap::wide)units); }
  bool operator!() const { return units == 0; }
  ap_number operator<<(int places) const
  {
    return places < 0 ? *this >> -places : of_units(places >= W ? 0 : (ap::wide)units << places);
  }
  ap_number operator>>(int places) const
  {
    return places < 0 ? *this << -places : of_units((ap::wide)units >> ap::smaller(places, 127));
  }
};

namespace ap {

template <int W, int F, bool S, bool X, int W2, int F2, bool S2, bool X2> struct results {
  enum {
    whole = larger(W - F + (S2 && !S), W2 - F2 + (S && !S2)),
    fraction = larger(F, F2)
  };
  typedef ap_number<whole + 1 + fraction, fraction, S || S2, X || X2> sum;
  typedef ap_number<whole + 1 + fraction, fraction, true, X || X2> difference;
  typedef ap_number<W + W2, F + F2, S || S2, X || X2> product;
  typedef ap_number<W + S2 + F2, F, S || S2, X || X2> quotient;
  typedef ap_number<smaller(W, W2 + (S && !S2)), 0, S, false> remainder;
  typedef ap_number<whole + fraction, fraction, S || S2, X || X2> logic;
};

template <typename T> struct number_of {
  typedef ap_number<std::is_same<T, bool>::value ? 1 : 8 * sizeof(T), 0, std::is_signed<T>::value, false> type;
};

} // namespace ap

#define LOADSTONE_LEFT int W, int F, bool S, bool X, ap_q_mode Q, ap_o_mode O
#define LOADSTONE_RIGHT int W2, int F2, bool S2, bool X2, ap_q_mode Q2, ap_o_mode O2
#define LOADSTONE_INTEGRAL typename T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0
#define LOADSTONE_REAL typename T, typename std::enable_if<std::is_floating_point<T>::value, int>::type = 0
#define LOADSTONE_A const ap_number<W, F, S, X, Q, O> &a
#define LOADSTONE_B const ap_number<W2, F2, S2, X2, Q2, O2> &b

#define LOADSTONE_MIXED(op) \
  template <LOADSTONE_LEFT, LOADSTONE_INTEGRAL> auto operator op(LOADSTONE_A, T b) \
  { \
    return a op typename ap::number_of<T>::type(b); \
  } \
  template <LOADSTONE_LEFT, LOADSTONE_INTEGRAL> auto operator op(T b, LOADSTONE_A) \
  { \
    return typename ap::number_of<T>::type(b) op a; \
  } \
  template <LOADSTONE_LEFT, LOADSTONE_REAL> auto operator op(LOADSTONE_A, T b) \
  { \
    static_assert(!X, "fixed point has no arithmetic with floating point"); \
    return a.units op b; \
  } \
  template <LOADSTONE_LEFT, LOADSTONE_REAL> auto operator op(T b, LOADSTONE_A) \
  { \
    static_assert(!X, "fixed point has no arithmetic with floating point"); \
    return b op a.units; \
  }

#define LOADSTONE_OPERATOR(op, result, left, right) \
  template <LOADSTONE_LEFT, LOADSTONE_RIGHT> auto operator op(LOADSTONE_A, LOADSTONE_B) \
  { \
    typedef ap::results<W, F, S, X, W2, F2, S2, X2> of; \
    return of::result::of_units(((ap::wide)a.units << (left)) op ((ap::wide)b.units << (right))); \
  } \
  LOADSTONE_MIXED(op)

#define LOADSTONE_COMPARISON(op) \
  template <LOADSTONE_LEFT, LOADSTONE_RIGHT> bool operator op(LOADSTONE_A, LOADSTONE_B) \
  { \
    const int fraction = ap::larger(F, F2); \
    return ((ap::wide)a.units << (fraction - F)) op ((ap::wide)b.units << (fraction - F2)); \
  } \
  LOADSTONE_MIXED(op)

LOADSTONE_OPERATOR(+, sum, of::fraction - F, of::fraction - F2)
LOADSTONE_OPERATOR(-, difference, of::fraction - F, of::fraction - F2)
LOADSTONE_OPERATOR(*, product, 0, 0)
LOADSTONE_OPERATOR(/, quotient, F2, 0)
LOADSTONE_OPERATOR(%, remainder, 0, 0)
LOADSTONE_OPERATOR(&, logic, of::fraction - F, of::fraction - F2)
LOADSTONE_OPERATOR(|, logic, of::fraction - F, of::fraction - F2)
LOADSTONE_OPERATOR(^, logic, of::fraction - F, of::fraction - F2)
LOADSTONE_COMPARISON(==)
LOADSTONE_COMPARISON(!=)
LOADSTONE_COMPARISON(<)
LOADSTONE_COMPARISON(<=)
LOADSTONE_COMPARISON(>)
LOADSTONE_COMPARISON(>=)

template <int W> using ap_int = ap_number<W, 0, true, false>;
template <int W> using ap_uint = ap_number<W, 0, false, false>;
template <int W, int I, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP>
using ap_fixed = ap_number<W, W - I, true, true, Q, O>;
template <int W, int I, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP>
using ap_ufixed = ap_number<W, W - I, false, true, Q, O>;

#endif
