// Lines of a dump in pieces: a line may have any length, and memory stays that of one chunk.

export interface Piece {
  /** Bytes as characters, one each: what separates is ASCII in every dump that is read. */
  readonly text: string
  /** Whether the line ends with it; the last piece of a file ends its line. */
  readonly endsLine: boolean
}

const NEWLINE = 0x0a

export async function* piecesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly Piece[]> {
  let isOpen = false
  for await (const chunk of chunks) {
    const pieces: Piece[] = []
    let from = 0
    while (from < chunk.length) {
      const at = chunk.indexOf(NEWLINE, from)
      const endsLine = at >= 0
      const to = endsLine ? at : chunk.length
      pieces.push({ text: chunk.toString('latin1', from, to), endsLine })
      from = to + 1
      isOpen = !endsLine
    }
    yield pieces
  }
  if (isOpen) yield [{ text: '', endsLine: true }]
}
