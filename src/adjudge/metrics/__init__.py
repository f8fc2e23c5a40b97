"""Pure maths: counts in, numbers out. Nothing here reads a file or asks a judge."""
