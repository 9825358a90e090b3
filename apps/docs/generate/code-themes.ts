// Colours of code, with at least 4.5:1 against their ground.
interface CodeTheme {
  readonly plain: { readonly color: string; readonly backgroundColor: string }
  readonly styles: { readonly types: string[]; readonly style: { readonly color: string } }[]
}

interface Colours {
  readonly text: string
  readonly ground: string
  readonly comment: string
  readonly string: string
  readonly name: string
  readonly keyword: string
}

const themeOf = ({ text, ground, comment, string, name, keyword }: Colours): CodeTheme => ({
  plain: { color: text, backgroundColor: ground },
  styles: [
    { types: ['comment', 'prolog', 'shebang'], style: { color: comment } },
    { types: ['string', 'attr-value', 'char', 'inserted'], style: { color: string } },
    { types: ['property', 'attr-name', 'key', 'variable', 'parameter', 'selector'], style: { color: name } },
    { types: ['keyword', 'function', 'builtin', 'boolean', 'number', 'tag', 'directive'], style: { color: keyword } },
  ],
})

export const light = themeOf({
  text: '#24303c',
  ground: '#f4f6f8',
  comment: '#5a6773',
  string: '#1c6b3c',
  name: '#0b6388',
  keyword: '#7c3aa0',
})

export const dark = themeOf({
  text: '#d6dee6',
  ground: '#182029',
  comment: '#95a3b1',
  string: '#8fd6a4',
  name: '#7bcff3',
  keyword: '#d5a8f0',
})
