// The baseline's gateway: relays bytes between a client and the device, as simply as Node can. No flow control, no
// frames, no SSH. Arguments: port of the device, `tls` or `tcp`. Sends its parent its port.
import { type AddressInfo, connect, createServer } from 'node:net'
import { connect as connectTls } from 'node:tls'

const [port = '', hop] = process.argv.slice(2)
const device = { port: Number(port), host: '127.0.0.1' }

const server = createServer({ noDelay: true }, (client) => {
  const next = hop === 'tls' ? connectTls({ ...device, rejectUnauthorized: false }) : connect(device)
  next.setNoDelay(true).on('error', () => client.destroy())
  client.on('error', () => next.destroy())
  client.pipe(next).pipe(client)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address() satisfies AddressInfo | string | null
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
})
