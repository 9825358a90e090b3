// The codec's Buffer: Node's. Browsers get browser-buffer.ts instead, by the `imports` of the package.
export { Buffer } from 'node:buffer'
