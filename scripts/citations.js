// Part of `npm run check`: documents and files that comments and documentation cite are in the repository.
import { basename } from 'node:path'

/** Migrations that have been released keep their comments: their checksums are stored. */
const FROZEN = /^apps\/server\/src\/db\/migrations\//
const DOCUMENT = /\b([\w-]+\.mdx?)\b/g
/** A path with a folder, after neither a URL nor an absolute path; `{a,b}` stands for several. */
const SOURCE =
  /(?<![\w/:@~.<>*$-])(?:\.{1,2}\/)*((?:[\w.-]|\{[\w.,/ -]+\})+(?:\/(?:[\w.-]|\{[\w.,/ -]+\})+)+\.(?:tsx?|[cm]?js))\b/g

/** @param {Map<string, string>} files text by path @returns {string[]} a sentence for each line that cites what is not here */
export function missingCitations(files) {
  const names = new Set([...files.keys()].map((path) => basename(path)))
  const known = new Set([...files.keys()].flatMap(tails))
  const problems = []
  for (const [path, text] of files) {
    const isDocument = /\.mdx?$/.test(path)
    if (FROZEN.test(path)) continue
    for (const [number, line] of isDocument ? prose(text) : comments(text)) {
      const documents = isDocument ? [] : [...line.matchAll(DOCUMENT)].map(([, name]) => name)
      const sources = [...line.matchAll(SOURCE)].flatMap(([, source]) => expand(source))
      const missing = [
        ...documents.filter((name) => !names.has(name)),
        ...sources.filter((source) => !known.has(source)),
      ]
      if (missing.length > 0) problems.push(`${path}:${number}: ${missing.join(', ')} is not in the repository`)
    }
  }
  return problems
}

/** What may name a file: its path without leading folders, and that without `src`, as imports of packages have it. */
function tails(path) {
  return [path, path.replace('/src/', '/')].flatMap((whole) => {
    const parts = whole.split('/')
    return parts.map((_, index) => parts.slice(index).join('/'))
  })
}

/** `scripts/{start,test}.js` → `scripts/start.js`, `scripts/test.js`. */
function expand(source) {
  const [, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(source) ?? []
  if (choices === undefined) return [source]
  return choices.split(',').flatMap((choice) => expand(before + choice.trim() + after))
}

/** Lines of a document outside of fenced blocks, whose files are the reader's. */
function prose(text) {
  let isFenced = false
  return [...text.split('\n').entries()].flatMap(([index, line]) => {
    const isFence = /^\s*(```|~~~)/.test(line)
    if (isFence) isFenced = !isFenced
    return isFence || isFenced ? [] : [[index + 1, line]]
  })
}

/** Comments of code, line by line. */
function comments(text) {
  return [...text.split('\n').entries()].flatMap(([index, line]) => {
    const [comment] = /^\s*(\/\/|\*|\{?\/\*).*|\s\/\/ .*/.exec(line) ?? []
    return comment === undefined ? [] : [[index + 1, comment]]
  })
}
