// Sets light or dark before the first paint: in the head and without `defer`, because it must run before the body is drawn.
// The build puts it into the page, whose content security policy then names its hash.
// The key and the attribute are those of src/ui/theme.ts.
{
  let chosen = 'auto'
  try {
    chosen = localStorage.getItem('bowline.theme') ?? 'auto'
  } catch {
    // Storage is switched off: follow the system.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
}
