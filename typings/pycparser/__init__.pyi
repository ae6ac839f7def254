from pycparser import c_ast as c_ast, c_generator as c_generator, c_lexer as c_lexer, c_parser as c_parser
