// Sets the theme before the first paint. A file of its own, because the server's policy allows no script within the page.
(() => {
  let chosen = 'system';
  try {
    chosen = JSON.parse(localStorage.getItem('holdfast.theme') ?? '"system"');
  } catch {
    // No storage, or not ours: the system decides.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();
