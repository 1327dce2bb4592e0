"""The web page: sit down and play with agents, step through games, and ask an agent why (`obl play`).

`server` has the routes, `hall` the tables and who sits at them, `table` one game, `sight` what a seat may see of it,
`messages` what a page may say, `shelf` the saved games, `offers` which agents there are, `thinking` where they think.
The page itself is in `static`: plain ES modules, served as they are.
"""
