import { configDefaults, defineConfig } from 'vitest/config'
import { leftOut } from './scripts/slow-files.ts'
import { LongestFirst } from './scripts/longest-first.ts'

/** Workers of the suites that only compute. By default one core is left unused, which is half of a small machine. */
const LIGHT = 2

// One project per suite, so that `npm test` can print each suite's time and run the heavy ones alone.
export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'packages',
          include: ['packages/*/{src,test}/**/*.test.ts', 'bench/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          maxWorkers: LIGHT,
        },
      },
      {
        test: {
          name: 'server',
          include: ['apps/server/src/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...leftOut.server],
          globalSetup: ['apps/server/src/testing/postgres-server.ts'],
          testTimeout: 30_000,
          hookTimeout: 90_000,
          // Several servers and databases share the processor.
          expect: { poll: { timeout: 10_000 } },
          // Loading the server anew for each file took most of the time; the files share no state, each has its own database.
          isolate: false,
          // They wait for databases and sockets more than they work.
          maxWorkers: 4,
          // Projects of different numbers of workers take turns when one command runs both.
          sequence: { groupOrder: 1 },
        },
      },
      { test: { name: 'agent', include: ['apps/agent/src/**/*.test.ts'], testTimeout: 30_000, maxWorkers: LIGHT } },
      { test: { name: 'console', include: ['apps/console/{src,locales,build}/**/*.test.ts'], maxWorkers: LIGHT } },
      { test: { name: 'docs', include: ['apps/docs/**/*.test.ts'], maxWorkers: LIGHT } },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...leftOut.e2e],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 15_000 } },
          // Real clients and browsers, mostly waited for.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      // By command only: `npm test -- --project long`.
      { test: { name: 'long', include: ['e2e/**/*.long.ts'], fileParallelism: false } },
    ],
  },
})
