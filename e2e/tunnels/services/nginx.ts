// nginx as a service of a device: its own configuration and folders, in the foreground, as this account.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bowline/testkit/free-port'
import { run } from '../../support/running.ts'
import { until } from '../../support/wait.ts'
import type { Service } from './service.ts'

const PROGRAM = '/usr/sbin/nginx'
export const hasNginx = existsSync(PROGRAM)

/** Bytes of `/large`. */
export const LARGE_BYTES = 8 * 1024 * 1024

export async function startNginx(): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-e2e-nginx-'))
  const port = await freePort()
  const inside = (name: string): string => join(folder, name)
  for (const name of ['www', 'www/folder', 'uploads', 'temporary']) await mkdir(inside(name))
  const files = {
    'www/page.html': '<!doctype html><title>Page</title>',
    'www/letters': 'abcdefghijklmnopqrstuvwxyz',
    'www/long.txt': 'the same words over and over '.repeat(500),
    'www/folder/index.html': 'index',
    'www/large': Buffer.alloc(LARGE_BYTES, 'large '),
  }
  for (const [name, content] of Object.entries(files)) {
    await writeFile(inside(name), content)
    await utimes(inside(name), 1_700_000_000, 1_700_000_000)
  }
  await writeFile(inside('nginx.conf'), configuration(folder, port))
  const running = run([PROGRAM, '-p', folder, '-c', inside('nginx.conf'), '-e', 'stderr'], {})
  await until('nginx listens', () => answers(port))
  return {
    port,
    protocol: 'HTTP/1.1',
    async [Symbol.asyncDispose]() {
      await running.end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function configuration(folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/temporary/${kind};`)
    .join(' ')
  return `daemon off; worker_processes 1; pid ${folder}/nginx.pid;
user root;
events { worker_connections 512; }
http {
  access_log off; ${temporary}
  types { text/html html; text/plain txt; }
  default_type application/octet-stream;
  gzip on; gzip_types text/plain; gzip_min_length 100;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/www;
    location /uploads { root ${folder}; dav_methods PUT DELETE; client_max_body_size 0; }
    location /small { client_max_body_size 1k; return 200 small; }
    location /secret { auth_basic "device"; auth_basic_user_file ${folder}/nginx.conf; }
    location = /moved { return 302 /page.html; }
    location = /empty { return 204; }
    location = /coffee { return 418 "short and stout"; }
  }
}
`
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
