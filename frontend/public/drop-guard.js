// A file or link that is dropped on a page replaces the page, and what then
// stands there could call what is bound to the window. So the page refuses the
// default for both, from its first moment on; dragged text is left alone.
for (const type of ['dragenter', 'dragover', 'drop']) {
  addEventListener(type, (event) => {
    const types = event.dataTransfer ? event.dataTransfer.types : [];
    if (!types.includes('text/uri-list') && !types.includes('Files')) return;
    event.preventDefault();
    if (type !== 'drop') event.dataTransfer.dropEffect = 'copy';
  });
}
