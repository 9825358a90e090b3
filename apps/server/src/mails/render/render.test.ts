// Texts of mails: both parts say the same, there is one link, and people's own words stay words.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '@bowline/contract/config'
import { assert, property, string } from 'fast-check'
import { simpleParser } from 'mailparser'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MailKind, MailValues } from '../kinds.ts'
import type { Letter } from './letter.ts'
import { readOverrides } from './overrides.ts'
import { createRenderer } from './render.ts'
import { sampleValues } from './samples.ts'
import { defused } from './words.ts'

const ORIGIN = 'https://bowline.example.com'
const renderer = createRenderer(new Map(), () => ORIGIN)
const HREF = /href="([^"]*)"/g

/** Text that an HTML part shows. */
function shown(html = ''): string {
  return html
    .replaceAll(/<(style|title|head)>[^]*?<\/\1>|<[^>]+>/g, ' ')
    .replaceAll(
      /&(amp|lt|gt|quot|#39);/g,
      (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '',
    )
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Links that a mail program makes of a plain text. */
async function linksIn(text: string): Promise<string[]> {
  const parsed = await simpleParser(`Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`)
  return [...String(parsed.textAsHtml).matchAll(HREF)].map(([, href = '']) => href)
}

describe('every mail', () => {
  it.each(renderer.previews().map((preview) => [`${preview.kind} ${preview.event}`, preview] as const))(
    'says the same in both parts and has one link, with its host: %s',
    async (_, { subject, text, html, kind }) => {
      const { link } = sampleValues(ORIGIN)[kind]
      const words = text.replace(`:\n${link}`, '').replace('-- \n', '').replaceAll(/\s+/g, ' ').trim()
      expect(shown(html)).toBe(words)
      expect([...String(html).matchAll(HREF)].map(([, href]) => href)).toEqual([link])
      expect((await linksIn(text)).filter((href) => href !== 'http://bowline.example.com')).toEqual([link])
      expect(words).toContain('at bowline.example.com')
      expect(html).not.toMatch(/<(img|script|iframe|link|form)\b|url\(|@import|src=/)
      expect(subject).toMatch(/^\S.{2,99}$/)
      expect(text).not.toMatch(/undefined|\[object|\{\{/)
    },
  )
})

describe('words of people', () => {
  const HOSTILE = [
    'http://evil.example',
    'evil.com',
    'www.evil.com/path',
    '//evil.com',
    'https:// evil.com',
    'mallory@evil.com',
    'mailto:mallory@evil.com',
    'evil。com',
    'evil．com',
    'x\r\nBcc: victim@example.com',
    'x\u2028http://evil.com',
    '\u202Emoc.live',
    '<a href="http://evil.com">click</a>',
    'tel:+49123456',
    '203.0.113.7',
  ]

  function withName(name: string): Letter[] {
    const values = sampleValues(ORIGIN)
    const invitation = { ...values.invitation, inviter: name, namespace: name, role: name }
    const notice = { ...values.notice, name, subject: name, browser: name, source: name, at: name }
    return [
      renderer.render('confirm', { ...values.confirm, name }),
      renderer.render('invitation', invitation),
      renderer.render('notice', notice),
    ]
  }

  it.each(HOSTILE)('become neither a link nor a header: %j', async (name) => {
    for (const { subject, text, html } of withName(name)) {
      expect(subject).not.toMatch(/[\r\n\u2028]/)
      const links = (await linksIn(text)).filter((href) => !href.includes('bowline.example.com'))
      expect(links).toEqual([])
      expect([...String(html).matchAll(HREF)]).toHaveLength(1)
      expect((await linksIn(shown(html))).filter((href) => !href.includes('bowline.example.com'))).toEqual([])
    }
  })

  it('are cut to a sensible length', () => {
    for (const { subject, text } of withName('n'.repeat(5_000))) {
      expect(subject.length).toBeLessThanOrEqual(150)
      expect(text.length).toBeLessThan(2_000)
    }
  })

  it('stay as they are where they are harmless', () => {
    expect(defused('Dr. Ada K. Lovelace, née Byron')).toBe('Dr. Ada K. Lovelace, née Byron')
    expect(defused('http://evil.example')).toBe('http[:]evil[.]example')
  })

  it('have no control character and no place for a link, whatever they are', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 300 }), (text) => {
        const safe = defused(text)
        expect(safe).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|:\/\/|@(?!\])|\.\p{L}{2}/u)
        expect(safe.length).toBeLessThanOrEqual(400)
      }),
    )
  })
})

describe("texts of the operator's own", () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bowline-templates-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  const problems = async (): Promise<readonly string[]> => {
    try {
      await readOverrides(folder)
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
  }
  async function render<K extends MailKind>(kind: K, changes: Partial<MailValues[K]> = {}): Promise<Letter> {
    const values = { ...sampleValues(ORIGIN)[kind], ...changes }
    return createRenderer(await readOverrides(folder), () => ORIGIN).render(kind, values)
  }

  it('replace subject and both parts, escaped in HTML', async () => {
    await write('recover.txt', 'Subject: Hallo {{name}}\n\nHier klicken: {{ link }}\n{{hours}} h, {{host}}\n')
    await write('recover.html', '<a href="{{link}}" title="{{name}}">{{name}}</a>')
    const link = 'https://bowline.example.com/x?a=1&b="2"'
    expect(await render('recover', { name: 'A <b> "c"\r\nBcc: x', link })).toEqual({
      subject: 'Hallo A <b> "c" Bcc: x',
      text: `Hier klicken: ${link}\n24 h, bowline.example.com\n`,
      html: '<a href="https://bowline.example.com/x?a=1&amp;b=&quot;2&quot;" title="A &lt;b&gt; &quot;c&quot; Bcc: x">A &lt;b&gt; &quot;c&quot; Bcc: x</a>',
    })
  })

  it('leave the HTML part out when there is a text only, and other kinds as they are', async () => {
    await write('recover.txt', 'Subject: Hallo\n\nHier: {{link}}')
    expect((await render('recover')).html).toBeUndefined()
    expect(await render('confirm')).toEqual(renderer.render('confirm', sampleValues(ORIGIN).confirm))
  })

  it('have the sentence of the event in a notice', async () => {
    await write('notice.txt', 'Subject: {{event}}\n\n{{at}} {{source}} {{subject}} {{browser}} {{name}} {{link}}')
    expect(await render('notice', { event: 'factor-added', subject: 'http://evil.com' })).toMatchObject({
      subject: 'A second factor was added to your account.',
      text: expect.stringMatching(/^2026-11-23 04:17 UTC 203\.0\.113\[\.\]7 http\[:\]evil\[\.\]com /) as string,
    })
  })

  it('do not fill in what a value contains', async () => {
    await write('recover.txt', 'Subject: {{name}}\n\n{{name}}')
    expect(await render('recover', { name: '{{link}} $& $1' })).toMatchObject({ text: '{{link}} $& $1' })
  })

  it('are refused with an unknown placeholder, a missing subject, and a name that is no kind', async () => {
    await write('recover.txt', 'Subject: x\n\n{{nmae}} {{constructor}} {{}}')
    await write('confirm.txt', 'no subject')
    await write('confrim.txt', 'Subject: x\n\nx')
    await write('invitation.html', 'x')
    await write('README.md', '{{anything}}')
    expect(await problems()).toEqual([
      'BOWLINE_MAIL_TEMPLATES: confirm.txt must begin with a line such as “Subject: Your new password”.',
      expect.stringMatching(/^BOWLINE_MAIL_TEMPLATES: confrim\.txt is no kind of mail; the kinds are confirm, /),
      'BOWLINE_MAIL_TEMPLATES: recover.txt: there is no {{nmae}}; the placeholders are name, link, hours, host.',
      'BOWLINE_MAIL_TEMPLATES: recover.txt: there is no {{constructor}}; the placeholders are name, link, hours, host.',
      'BOWLINE_MAIL_TEMPLATES: recover.txt: there is no {{}}; the placeholders are name, link, hours, host.',
      'BOWLINE_MAIL_TEMPLATES: invitation.html needs invitation.txt beside it.',
    ])
    await rm(folder, { recursive: true })
    expect(await problems()).toEqual([`BOWLINE_MAIL_TEMPLATES: ${folder} cannot be read (ENOENT).`])
  })
})
