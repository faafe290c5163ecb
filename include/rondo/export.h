#pragma once

/// Marks what `librondo` and `librondo_nn` export; everything else is hidden.
#define RONDO_API [[gnu::visibility("default")]]
