// Order of test files: those that take minutes first, so that no worker is idle while another runs the last of them.
// Vitest itself begins with the largest files where it has no durations of an earlier run; several of the longest are a
// few lines that run a board of rows.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const LONGEST = [
  'e2e/matrix/matrix.test.ts',
  'e2e/docs/content.test.ts',
  'e2e/console/console.test.ts',
  'e2e/tunnels/board.test.ts',
  'e2e/matrix/container.test.ts',
  'e2e/matrix/repeat.test.ts',
  'e2e/herd/herd.test.ts',
  'e2e/hostile/hostile.test.ts',
  'e2e/forwarding/arrivals.test.ts',
  'e2e/cluster/loss.test.ts',
  'e2e/cluster/faults.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Projects stay in their order.
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((one, other) => rankOf(one) - rankOf(other)),
    )
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((path) => moduleId.endsWith(path))
  return rank === -1 ? LONGEST.length : rank
}
