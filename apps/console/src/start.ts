// Entry of the page: chooses the language, then starts the console, whose modules read their texts when they are imported.
// No top-level await: with one, the bundler no longer merges small files, and the first page would load a hundred of them.
import './no-eval.ts'
import { loadLanguage } from './platform/language/language.ts'
import { nextTask } from './platform/next-task.ts'

void start()

async function start(): Promise<void> {
  await loadLanguage()
  // In the order of the page, imports first: each is a task of its own then, where importing the last one would run all of
  // them in one. The development server names none.
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[rel="modulepreload"]:not([data-page])')) {
    // The last import, of the console itself, fails in the same way, and is what reports it.
    await import(/* @vite-ignore */ href).catch(() => undefined)
    await nextTask()
  }
  await import('./main.tsx')
}
