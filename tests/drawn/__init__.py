"""One generator of nasty legal instances per problem family, and plain exact references that list all plans of them."""
