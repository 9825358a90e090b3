// Where statements of a dump end. Texts of people are inside of them where pg_dump was told to write INSERT statements, so
// quotes are read as PostgreSQL reads them: https://www.postgresql.org/docs/current/sql-syntax-lexical.html

/** Longer statements are read over. */
const MAX_STATEMENT = 4 * 1_024 * 1_024

export interface Statement {
  /** Bytes as characters; without comments and the semicolon. */
  readonly text: string
  /** True if it was longer than any that is needed: the text is its beginning. */
  readonly isCut: boolean
}

type State =
  | 'code'
  | 'line comment'
  | { readonly comment: number }
  /** `$` and what follows, which may become the mark of a quote. */
  | { readonly tag: string }
  | { readonly dollar: string }
  | { readonly quote: "'" | '"'; readonly escapes: boolean }

const WORD = /[\w$\u0080-\u00ff]/
const TAG = /^\$([A-Za-z_\u0080-\u00ff][\w\u0080-\u00ff]*)?$/

/** Puts statements together from pieces of any size. */
export class StatementReader {
  #state: State = 'code'
  #kept: string[] = []
  #size = 0
  /** The characters before: of code, or of a comment or a quote that may be about to end. */
  #before = ''
  /** `-` or `/`, which may begin a comment. */
  #pending = ''
  #afterBackslash = false

  /** Whether nothing has begun. */
  get isIdle(): boolean {
    return this.#state === 'code' && this.#pending === '' && this.#kept.every((part) => part.trim() === '')
  }

  /** @returns the statements that end in the text */
  read(text: string): Statement[] {
    const found: Statement[] = []
    for (let at = 0; at < text.length; at += 1) {
      const state = this.#state
      if (typeof state === 'object' && 'quote' in state && !state.escapes) at = this.#quote(text, at, state.quote)
      else this.#step(state, text[at] ?? '', found)
    }
    return found
  }

  /** Reads to the end of a quote: most of a dump with INSERT statements is in one. @returns the last place that was read */
  #quote(text: string, at: number, mark: string): number {
    const end = text.indexOf(mark, at)
    const to = end < 0 ? text.length : end + 1
    this.#keep(text.slice(at, to))
    if (end >= 0) this.#leave(mark)
    return to - 1
  }

  #step(state: State, character: string, found: Statement[]): void {
    if (state === 'code') return this.#code(character, found)
    if (state === 'line comment') {
      if (character === '\n') this.#leave(' ')
      return
    }
    if ('comment' in state) return this.#comment(character, state.comment)
    if ('tag' in state) return this.#tag(character, state.tag, found)
    this.#keep(character)
    if ('dollar' in state) {
      this.#before = (this.#before + character).slice(-state.dollar.length)
      if (this.#before === state.dollar) this.#leave('$')
    } else if (this.#afterBackslash) this.#afterBackslash = false
    else if (character === '\\') this.#afterBackslash = true
    // A doubled mark ends the quote and begins one that reads backslashes too.
    else if (character === state.quote) this.#leave('e')
  }

  #code(character: string, found: Statement[]): void {
    const pending = this.#pending
    this.#pending = ''
    if (pending === '-' && character === '-') {
      this.#state = 'line comment'
      return
    }
    if (pending === '/' && character === '*') {
      this.#state = { comment: 1 }
      this.#before = ''
      return
    }
    this.#keep(pending)
    if (character === '-' || character === '/') {
      this.#pending = character
      this.#before = character
      return
    }
    if (character === ';') {
      found.push({ text: this.#kept.join(''), isCut: this.#size > MAX_STATEMENT })
      this.#kept = []
      this.#size = 0
      this.#before = ''
      return
    }
    if (character === '$' && !WORD.test(this.#before.slice(-1))) {
      this.#state = { tag: '$' }
      return
    }
    if (character === "'" || character === '"') {
      const escapes = character === "'" && /^[^\w$\u0080-\u00ff]?[eE]$/.test(this.#before)
      this.#state = { quote: character, escapes }
    }
    this.#keep(character)
    this.#before = (this.#before + character).slice(-2)
  }

  #comment(character: string, depth: number): void {
    const pair = this.#before + character
    const change = pair === '/*' ? 1 : pair === '*/' ? -1 : 0
    // A character belongs to one mark only.
    this.#before = change === 0 ? character : ''
    if (depth + change === 0) this.#leave(' ')
    else this.#state = { comment: depth + change }
  }

  #tag(character: string, tag: string, found: Statement[]): void {
    if (character === '$' && TAG.test(tag)) {
      this.#keep(`${tag}$`)
      this.#before = ''
      this.#state = { dollar: `${tag}$` }
    } else if (TAG.test(tag + character)) this.#state = { tag: tag + character }
    else {
      // A parameter such as $1.
      this.#keep(tag)
      this.#leave(tag)
      this.#step('code', character, found)
    }
  }

  /** @param before what the code that follows comes after */
  #leave(before: string): void {
    this.#state = 'code'
    this.#before = before.slice(-2)
  }

  #keep(text: string): void {
    if (text === '') return
    if (this.#size <= MAX_STATEMENT) this.#kept.push(text)
    this.#size += text.length
  }
}
