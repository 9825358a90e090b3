// Asks for what the page needs first while the browser still loads the console: the token for the refresh cookie and, with
// it, the list that this address asked for first the last time. The build puts it into the page; src/auth/early-answer.ts
// takes the answers, and names the same path and setting, src/auth/browser.ts the same lock.
{
  const ask = () => fetch('/api/auth/session/refresh', { method: 'POST', keepalive: true })
  // As src/auth/session-trace.ts.
  const isLikely = () => {
    try {
      return (localStorage.getItem('bowline.session') ?? (localStorage.length > 0 ? 'yes' : 'no')) === 'yes'
    } catch {
      return true
    }
  }
  const askLocked = () => ('locks' in navigator ? navigator.locks.request('bowline.session', ask) : ask())
  const session = isLikely() ? askLocked() : undefined
  const askList = async (url) => {
    const answer = await session
    if (!answer?.ok) return undefined
    const { token } = await answer.clone().json()
    return { token, answer: await fetch(url, { headers: { authorization: `Bearer ${token}` } }) }
  }
  let first
  try {
    first = JSON.parse(localStorage.getItem('bowline.first-list'))
  } catch {
    // Storage is switched off: nothing is known.
  }
  const isKnown =
    first?.address === location.pathname + location.search && /^\/api\/(devices|containers|sessions)\?/.test(first.url)
  globalThis.bowlineEarly = {
    session,
    list: session && isKnown ? { url: first.url, asked: askList(first.url) } : undefined,
  }
  // Nobody is signed in: their page is next, and its files are fetched beside those of the console.
  const preload = () => {
    const files = document.querySelector('meta[name="sign-in-files"]')?.content.split(' ') ?? []
    for (const href of files) {
      const link = document.createElement('link')
      // Not among those that src/start.ts runs one after the other: each of these needs most of them at once.
      link.dataset.page = 'sign-in'
      document.head.append(Object.assign(link, { rel: 'modulepreload', crossOrigin: '', fetchPriority: 'low', href }))
    }
  }
  if (session) {
    // Whoever takes them handles that.
    session.then(({ ok }) => ok || preload()).catch(() => undefined)
  } else preload()
  globalThis.bowlineEarly.list?.asked.catch(() => undefined)
}
