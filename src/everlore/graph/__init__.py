"""The graph: names in texts link memories to each other and to entities; a walk over it finds what words do not."""
