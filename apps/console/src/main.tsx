// Starts the console.
import './no-eval.ts'
import './ui/kit.ts'
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './main.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RuntimeContext } from './app/context.tsx'
import { followSignIn } from './app/follow-sign-in.ts'
import { createConsoleRouter } from './app/router.tsx'
import { createRuntime } from './app/runtime.ts'
import { colorSchemeManager, cssVariables, theme } from './ui/theme.ts'

const runtime = createRuntime()
const router = createConsoleRouter(runtime)
followSignIn(runtime.session, router)
// A page that could not load while the server was away loads when it is back.
runtime.watch.state.subscribe(() => {
  if (runtime.watch.state.get().kind === 'reachable') void router.invalidate()
})

const JUST_LOADED_MS = 10_000
// A file of an earlier version is gone after an update of the server: the page of the new version asks for others.
addEventListener('vite:preloadError', (event) => {
  // A page that has only just loaded is of the new version already: loading again would not help.
  if (performance.now() < JUST_LOADED_MS) return
  event.preventDefault()
  location.reload()
})

const place = document.querySelector('#root')
if (!place) throw new Error('The page has no #root.')
createRoot(place).render(
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
)
