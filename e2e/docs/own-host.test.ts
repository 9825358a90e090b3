// The documentation on its own host, built for the root path.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../support/product.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-docs-root-'))
  const { NODE_ENV: _, ...env } = process.env
  await promisify(execFile)(
    process.execPath,
    // Minification takes a third of the build's time, and these scripts are never downloaded.
    [join(root, 'scripts/run.js'), 'docusaurus', 'build', '--no-minify', '--out-dir', folder],
    {
      cwd: join(root, 'apps/docs'),
      env: {
        ...env,
        DOCS_BASE_URL: '/',
        DOCS_URL: 'https://docs.example.com',
        DOCS_REPOSITORY: 'https://code.example.com/bowline',
        DOCS_SEARCH_HOSTS: 'https://bowline.example.com',
        // Separate from that of the other variant.
        DOCUSAURUS_GENERATED_FILES_DIR_NAME: '.docusaurus-root',
      },
    },
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8')

describe('the documentation on a host of its own', () => {
  it('serves pages and assets at the root', async () => {
    const page = await read('overview/faq/index.html')
    expect(page).toContain('https://docs.example.com/overview/faq')
    expect(page).toMatch(/href="?\/assets\/js\/main/)
    expect(page).not.toMatch(/(src|href)="?\/docs\//)
  })

  it('leads to the source of each page', async () => {
    expect(await read('overview/faq/index.html')).toContain(
      'https://code.example.com/bowline/edit/main/apps/docs/content/overview/faq.md',
    )
  })

  it('writes search records and a sitemap with its own URLs', async () => {
    const records = JSON.parse(await read('search-records.json')) as { url: string }[]
    expect(records.map(({ url }) => url)).toContain('/overview/faq')
    expect(await read('llms.txt')).toContain('(https://docs.example.com/overview/faq.md)')
    expect(await read('sitemap.xml')).toContain('<loc>https://docs.example.com/overview/faq</loc>')
  })
})
