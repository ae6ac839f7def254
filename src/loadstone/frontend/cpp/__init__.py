"""C++ as HLS tools take it, translated to the C that the C front end reads.

The subset is C with other spellings: names of types with arguments, casts, references, streams. So its tokens are
rewritten one by one, each keeping its place in the source, and everything that the C front end understands is
understood in C++ too. A parser of all of C++ would need a second front end behind it, for a tree of its own.
"""
