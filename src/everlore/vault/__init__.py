"""The markdown on disk: where a memory lies, how it is written, and how files change safely."""
