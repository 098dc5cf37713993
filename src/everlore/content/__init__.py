"""Content of an Evolution CMS site, read-only: from the site's own database, or from an imported folder of markdown.

`arguments` says what may be asked (pure), `tools` answers it, `importing` fills the embedded site.
"""
