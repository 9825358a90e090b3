// What a bundle has in place of the package `koffi`: its native module alone, from the folder of the executable. The
// package's own JavaScript only looks for that module in many places and adds names that are deprecated.
import { dirname, join } from 'node:path'

const native = { exports: {} }
process.dlopen(native, join(dirname(process.execPath), 'koffi.node'))
// oxlint-disable-next-line import/no-default-export -- as the package has it
export default native.exports
