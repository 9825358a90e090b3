import '../planted2/routes.ts'
