class Token:
    lineno: int
    column: int

class CLexer:
    def token(self) -> Token | None: ...
