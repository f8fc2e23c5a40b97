"""Where SAFE looks facts up: the sample's own contexts, a local corpus, a web search."""
