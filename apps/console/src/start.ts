// Entry of the page: chooses the language, then starts the console, whose modules read their texts when they are imported.
// No top-level await: with one, the bundler no longer merges small files, and the first page would load a hundred of them.
import './no-eval.ts'
import { askEarly } from './auth/early-answer.ts'
import { loadLanguage } from './platform/language/language.ts'

askEarly()
void loadLanguage().then(() => import('./main.tsx'))
