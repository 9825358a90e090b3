// Runs the jobs of testkit's clients/job.ts with the npm package ssh2; see its scripted.ts for how it is started.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'

// This script is passed as an argument of node: packages are resolved from the folder it runs in.
const { Client } = createRequire(`${process.cwd()}/`)('ssh2')

function offerOf({ kex, cipher, mac } = {}) {
  return { ...(kex && { kex: [kex] }), ...(cipher && { cipher: [cipher] }), ...(mac && { hmac: [mac] }) }
}

function signIn(job) {
  const { login, task } = job
  const config = { host: '127.0.0.1', port: job.port, username: job.user, algorithms: offerOf(job.offer) }
  if (login.method === 'password') config.password = login.password
  if (login.method === 'keyboard-interactive') config.tryKeyboard = true
  if (login.method === 'publickey') config.privateKey = readFileSync(login.key)
  if (task.kind === 'agent') Object.assign(config, { agent: task.agent, agentForward: true })
  const client = new Client()
  client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
    answer(prompts.map(({ prompt }) => login.answers[prompt.trim()])),
  )
  return new Promise((resolve, reject) => {
    client.once('ready', () => resolve(client))
    client.once('error', reject)
    client.connect(config)
  })
}

async function collect(stream) {
  const parts = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

/** Starts what `ask` requests; listens for the exit status at once, since it may arrive with the reply. */
function start(ask) {
  return new Promise((resolve, reject) => {
    ask((error, channel) => {
      if (error) return reject(error)
      resolve({ channel, exit: new Promise((resolve) => channel.once('exit', resolve)) })
    })
  })
}

async function finish({ channel, exit }, input) {
  const stderr = channel.stderr ? text(channel.stderr) : ''
  channel.end(input)
  const stdout = await collect(channel)
  return { code: await exit, stdout, stderr: await stderr }
}

function through(stream, file) {
  stream.end(readFileSync(file))
  return collect(stream)
}

/** The two forwards to the client: incoming bytes are echoed here. */
function echo(accept) {
  const channel = accept()
  channel.pipe(channel)
}

async function run(client, job) {
  const { task } = job
  const exec = (options = {}) => start((done) => client.exec(task.command, options, done))
  switch (task.kind) {
    case 'exec':
      return finish(await exec(), task.input ? readFileSync(task.input) : undefined)
    case 'shell':
      return finish(await start((done) => client.shell({ term: 'xterm' }, done)), task.lines)
    case 'sftp': {
      const sftp = await promisify(client.sftp).bind(client)()
      await promisify(sftp.fastPut).bind(sftp)(task.local, task.remote)
      await promisify(sftp.fastGet).bind(sftp)(task.remote, task.back)
      return { code: 0, stdout: readFileSync(task.back), stderr: '' }
    }
    case 'local': {
      const channel = await promisify(client.forwardOut).bind(client)('127.0.0.1', 1, '127.0.0.1', task.to)
      return { code: 0, stdout: await through(channel, task.send), stderr: '' }
    }
    case 'remote':
      client.on('tcp connection', (_info, accept) => echo(accept))
      await promisify(client.forwardIn).bind(client)('127.0.0.1', task.listen)
      return { code: 0, stdout: await through(connect(task.listen, '127.0.0.1'), task.send), stderr: '' }
    case 'local-socket': {
      const channel = await promisify(client.openssh_forwardOutStreamLocal).bind(client)(task.to)
      return { code: 0, stdout: await through(channel, task.send), stderr: '' }
    }
    case 'remote-socket':
      client.on('unix connection', (_info, accept) => echo(accept))
      await promisify(client.openssh_forwardInStreamLocal).bind(client)(task.listen)
      return { code: 0, stdout: await through(connect(task.listen), task.send), stderr: '' }
    case 'agent':
      return finish(await exec({ agentForward: true }))
    case 'x11':
      client.on('x11', (_info, accept) => {
        const channel = accept()
        channel.once('data', () => channel.end('X says hello'))
      })
      return finish(await exec({ x11: true }))
    default:
      throw new Error(`ssh2 has no ${task.kind}`)
  }
}

/** Rejects after 10 s: a job that hangs must not block the others. */
async function late() {
  await setTimeout(10_000, undefined, { ref: false })
  throw new Error('not done after 10 s')
}

for (const job of JSON.parse(await text(process.stdin))) {
  let client
  try {
    client = await signIn(job)
    const { stdout, ...rest } = await Promise.race([run(client, job), late()])
    const sha256 = createHash('sha256').update(stdout).digest('hex')
    const result = { ...rest, stdout: stdout.toString().slice(0, 4_000), sha256 }
    process.stdout.write(`${JSON.stringify({ id: job.id, result })}\n`)
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ id: job.id, error: String(error.stack) })}\n`)
  }
  client?.end()
}
