// Starts the console.
import './ui/kit.ts'
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './main.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { RuntimeContext } from './core/context.tsx'
import { followSignIn } from './shell/follow-sign-in.ts'
import { expireSuspendedSessions, hasSuspendedSessions } from './features/terminal/suspended.ts'
import { nextTask } from './platform/next-task.ts'
import { loadRestWhenIdle, pageFile } from './platform/page-files.ts'
import { createConsoleRouter } from './shell/router.tsx'
import { createRuntime } from './core/runtime.ts'
import { askBeforeLeaving } from './platform/unload-guard.ts'
import { colorSchemeManager, cssVariables, theme } from './ui/theme.ts'

const loadWorkspace = pageFile(() => import('./features/terminal/workspace.ts'))

void startConsole()

/** In several tasks, as each takes a slow machine long enough. */
async function startConsole(): Promise<void> {
  await nextTask()
  const runtime = createRuntime()
  const router = createConsoleRouter(runtime)
  followSignIn(runtime.session, router)
  // Retries pages that failed to load while the server was down.
  runtime.watch.state.subscribe(() => {
    if (runtime.watch.state.get().kind === 'reachable') void router.invalidate()
  })

  askBeforeLeaving()
  // Preloading waits until the first page has what it needs.
  const endWaiting = runtime.live.state.subscribe(() => {
    if (runtime.live.state.get() !== 'live') return
    endWaiting()
    void loadRestWhenIdle()
  })

  expireSuspendedSessions(() => Date.now(), setTimeout)
  // They end soon unless they are resumed, also while another page is shown.
  if (hasSuspendedSessions())
    void loadWorkspace().then(
      ({ workspaceOf }) => workspaceOf(runtime),
      () => undefined,
    )

  const place = document.querySelector('#root')
  if (!place) throw new Error('The page has no #root.')
  const root = createRoot(place)
  await nextTask()
  // React renders a transition in slices.
  startTransition(() =>
    root.render(
      <StrictMode>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariables}
          colorSchemeManager={colorSchemeManager}
          defaultColorScheme="auto"
        >
          <QueryClientProvider client={runtime.queryClient}>
            <RuntimeContext value={runtime}>
              <RouterProvider router={router} />
            </RuntimeContext>
          </QueryClientProvider>
        </MantineProvider>
      </StrictMode>,
    ),
  )
}
