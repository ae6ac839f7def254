typedef double real;
extern real a[10];
