// Checks that each kit component in use has its stylesheet: a missing one looks broken and fails no other test.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folder = join(import.meta.dirname, '..')
const styles = join(folder, '../../../node_modules/@mantine/core/styles')
const kit = readFileSync(join(folder, 'ui/kit.ts'), 'utf8')

it('imports the stylesheet of every kit component in use', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: folder, exclude: ['**/*.test.ts'] })
  const used = sources.flatMap((file) => {
    const source = readFileSync(join(folder, file), 'utf8')
    const imports = source.matchAll(/(?:import|export) \{([^}]*)\} from '@mantine\/core'/g)
    return [...imports].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
  })
  const needed = new Set(used.filter((name) => existsSync(join(styles, `${name}.css`))))
  expect(needed.size).toBeGreaterThan(10)
  expect([...needed].filter((name) => !kit.includes(`'@mantine/core/styles/${name}.css'`))).toEqual([])
})

it('keeps features from importing the kit directly', () => {
  const features = globSync('{features,app,live,session}/**/*.{ts,tsx}', { cwd: folder })
  const direct = features.filter((file) => readFileSync(join(folder, file), 'utf8').includes("from '@mantine/core'"))
  expect(direct).toEqual([])
})
