"""Content items become text: as they are, through a parser, or through a model that sees and hears."""
