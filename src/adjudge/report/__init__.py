"""Results for people: tables, explanations, and HTML for notebooks."""
