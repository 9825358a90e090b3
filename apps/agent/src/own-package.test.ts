import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownPackage, PACKAGE_FILE, packageIn } from './own-package.ts'

function folderWith(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-own-package-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, PACKAGE_FILE), content)
  return folder
}
const marker = { manager: 'apt', package: 'bowline-agent', program: 'bowline-agent-1.0.0-11111111', release: 7 }

test('reads the marker of a package', () => {
  expect(packageIn(folderWith(JSON.stringify(marker)))).toEqual(marker)
})

test.each(['', '{}', JSON.stringify({ ...marker, program: '../elsewhere' })])(
  'takes no other file for one: %s',
  (text) => {
    expect(packageIn(folderWith(text))).toBeUndefined()
  },
)

test('finds none in a checkout', () => {
  expect(ownPackage()).toBeUndefined()
})
