"""Loop controllers: automata that start each other, or one flat automaton [Devos, chapter 5]."""
