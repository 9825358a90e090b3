// In the place of the theme's parsers of code: pages come coloured (generate/highlight-code.ts).
export const Prism = {}
