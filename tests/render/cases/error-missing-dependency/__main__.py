import pulumi

import not_installed_anywhere
