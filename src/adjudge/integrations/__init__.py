"""adjudge inside other tools."""
