// A bundle's replacement for the package `koffi`: its native module alone, from the folder of the executable. The
// package's own JavaScript only searches many places for that module and adds deprecated names.
import { dirname, join } from 'node:path'

const native = { exports: {} }
process.dlopen(native, join(dirname(process.execPath), 'koffi.node'))
// oxlint-disable-next-line import/no-default-export -- as the package has it
export default native.exports
