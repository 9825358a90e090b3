// Whether this browser may have a session: where it has none for sure, the server is not asked, as its refusal is an error on the
// console of the browser. It is a hint only, and no secret: the session is the HttpOnly cookie. public/early.js reads it too.

const KEY = 'bowline.session'

export interface SessionTrace {
  /** False if nobody has signed in here, or the last session has ended. */
  readonly isLikely: () => boolean
  readonly note: (isSignedIn: boolean) => void
}

export const sessionTrace: SessionTrace = {
  isLikely() {
    try {
      // A browser that was used before it kept this has other settings of the console.
      return (localStorage.getItem(KEY) ?? (localStorage.length > 0 ? 'yes' : 'no')) === 'yes'
    } catch {
      return true
    }
  },
  note(isSignedIn) {
    try {
      localStorage.setItem(KEY, isSignedIn ? 'yes' : 'no')
    } catch {
      // Storage is switched off: the server is always asked.
    }
  },
}
