"""Pictures of a record: in a terminal, as a Mermaid flowchart, as one HTML page. All of them draw the same outline."""
