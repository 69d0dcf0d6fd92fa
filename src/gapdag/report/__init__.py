"""What is shown to people: the page (html.py)."""
