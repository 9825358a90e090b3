// Terminal modes of a `pty-req` (RFC 4254 section 8, RFC 8160), mapped to Linux's termios.
import type { TermiosField, TerminalSettings } from '../native/terminal.ts'

const TTY_OP_END = 0
/** Opcodes from here on have no defined argument; a parser stops at them (RFC 4254 section 8). */
const FIRST_UNDEFINED = 160
const CHARACTER_OFF = 255

/** Opcode to index in `c_cc`. */
const CHARACTERS: Readonly<Record<number, number>> = {
  1: 0, // VINTR
  2: 1, // VQUIT
  3: 2, // VERASE
  4: 3, // VKILL
  5: 4, // VEOF
  6: 11, // VEOL
  7: 16, // VEOL2
  8: 8, // VSTART
  9: 9, // VSTOP
  10: 10, // VSUSP
  12: 12, // VREPRINT
  13: 14, // VWERASE
  14: 15, // VLNEXT
  16: 7, // VSWTCH
  18: 13, // VDISCARD
}

/** Opcode to flag. */
const FLAGS: Readonly<Record<number, readonly [TermiosField, number]>> = {
  30: ['input', 0x4], // IGNPAR
  31: ['input', 0x8], // PARMRK
  32: ['input', 0x10], // INPCK
  33: ['input', 0x20], // ISTRIP
  34: ['input', 0x40], // INLCR
  35: ['input', 0x80], // IGNCR
  36: ['input', 0x100], // ICRNL
  37: ['input', 0x200], // IUCLC
  38: ['input', 0x400], // IXON
  39: ['input', 0x800], // IXANY
  40: ['input', 0x1000], // IXOFF
  41: ['input', 0x2000], // IMAXBEL
  42: ['input', 0x4000], // IUTF8
  50: ['local', 0x1], // ISIG
  51: ['local', 0x2], // ICANON
  52: ['local', 0x4], // XCASE
  53: ['local', 0x8], // ECHO
  54: ['local', 0x10], // ECHOE
  55: ['local', 0x20], // ECHOK
  56: ['local', 0x40], // ECHONL
  57: ['local', 0x80], // NOFLSH
  58: ['local', 0x100], // TOSTOP
  59: ['local', 0x8000], // IEXTEN
  60: ['local', 0x200], // ECHOCTL
  61: ['local', 0x800], // ECHOKE
  62: ['local', 0x4000], // PENDIN
  70: ['output', 0x1], // OPOST
  71: ['output', 0x2], // OLCUC
  72: ['output', 0x4], // ONLCR
  73: ['output', 0x8], // OCRNL
  74: ['output', 0x10], // ONOCR
  75: ['output', 0x20], // ONLRET
}

/**
 * Parses an encoded mode string. A truncated or odd end just ends it: modes are best effort.
 * @returns opcode and argument, in order
 */
export function parseTerminalModes(encoded: Uint8Array): [opcode: number, argument: number][] {
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength)
  const modes: [number, number][] = []
  for (let offset = 0; offset + 5 <= encoded.byteLength; offset += 5) {
    const opcode = view.getUint8(offset)
    if (opcode === TTY_OP_END || opcode >= FIRST_UNDEFINED) break
    modes.push([opcode, view.getUint32(offset + 1)])
  }
  return modes
}

/** Applies the modes that Linux supports to `settings`; speeds and parity are meaningless for a pseudo-terminal. */
export function applyTerminalModes(settings: TerminalSettings, modes: readonly (readonly [number, number])[]): void {
  for (const [opcode, argument] of modes) {
    const character = CHARACTERS[opcode]
    const flag = FLAGS[opcode]
    if (character !== undefined) settings.setCharacter(character, argument >= CHARACTER_OFF ? 0 : argument)
    else if (flag) settings.set(...flag, argument !== 0)
  }
}
